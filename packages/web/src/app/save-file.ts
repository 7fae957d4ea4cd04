/** Downloads a file that is created in the page; nothing is sent over the network. */
export function saveFile(name: string, content: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read the URL only after a moment.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

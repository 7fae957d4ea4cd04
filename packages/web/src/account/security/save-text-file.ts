/** A file made in the page: nothing of it goes over the network. */
export function saveTextFile(name: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read it a moment later.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Runs before the first paint. The key and the attribute are Mantine's, which takes over in `src/ui/Root.tsx`.
try {
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
} catch {
  // Without storage the scheme of the system applies.
}

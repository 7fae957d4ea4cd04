// Sets the colour scheme before the first paint and before any module is loaded, with Mantine's key and attribute.
(() => {
  try {
    const chosen = localStorage.getItem('mantine-color-scheme-value');
    const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  } catch {
    // Without storage the scheme of the system applies.
  }
})();

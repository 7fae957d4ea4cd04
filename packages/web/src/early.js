// Sets the colour scheme before the first paint and before any module is loaded, with Mantine's key and attribute.
(() => {
  try {
    const chosen = localStorage.getItem('mantine-color-scheme-value');
    const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');

    // The build inserts the files that the hosted page at each path needs, and those of each language.
    const pages = '{{pages}}';
    const languages = '{{languages}}';
    const page = pages[location.pathname];
    if (!page) return;
    // The service has set the `lang` attribute: to the language of the account, or else to that of the browser.
    const language = localStorage.getItem('gatehouse-language') ?? document.documentElement.lang;
    for (const file of [...page, ...(languages[language] ?? [])]) {
      const link = document.createElement('link');
      link.rel = 'modulepreload';
      link.crossOrigin = '';
      link.href = `/assets/${file}.js`;
      document.head.append(link);
    }
  } catch {
    // Without storage the scheme of the system applies, and the page loads its files a little later.
  }
})();

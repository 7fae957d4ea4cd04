import classes from './Broken.module.css';

/** The texts are in this file, because loading the text modules may be what failed. */
const WORDS = {
  en: {
    title: 'This page has stopped working',
    text: 'An unexpected error occurred on this page. Reloading it usually helps. Nothing you have saved is lost.',
    reload: 'Reload the page',
  },
  de: {
    title: 'Diese Seite funktioniert nicht mehr',
    text: 'In dieser Seite ist etwas Unerwartetes passiert. Meist hilft es, sie neu zu laden; was Sie gespeichert haben, ist nicht verloren.',
    reload: 'Seite neu laden',
  },
};

export function Broken() {
  const t = WORDS[document.documentElement.lang === 'de' ? 'de' : 'en'];
  return (
    <main className={classes.broken}>
      <h1>{t.title}</h1>
      <p>{t.text}</p>
      <button type="button" onClick={() => location.reload()}>
        {t.reload}
      </button>
    </main>
  );
}

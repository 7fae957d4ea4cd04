/** Search field and copy buttons are created here: a page without scripts shows none. Contains no `</script`. */
export const REFERENCE_SCRIPT = `
const nav = document.querySelector('nav');
const entries = new Map([...nav.querySelectorAll('a')].map((link) => [link.hash.slice(1), link.parentElement]));
const linkTo = ({ id }) => entries.get(id);
const groups = [...document.querySelectorAll('section.group')].map((section) => ({
  section,
  entry: linkTo(section),
  operations: [...section.querySelectorAll('.operation')].map((article) => ({
    article,
    link: linkTo(article),
    text: article.querySelector('.about').textContent.toLowerCase(),
  })),
}));
const chapters = [...document.querySelectorAll('.chapter, nav .chapters')];

const field = document.createElement('input');
field.type = 'search';
field.placeholder = 'Search endpoints';
field.setAttribute('aria-label', 'Search endpoints');
const found = document.createElement('p');
found.className = 'hidden';
found.setAttribute('role', 'status');
const box = document.createElement('div');
box.className = 'search';
box.append(field, found);
nav.before(box);

const show = (element, visible) => { element.hidden = !visible; };
const search = () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let total = 0;
  for (const { section, entry, operations } of groups) {
    let count = 0;
    for (const { article, link, text } of operations) {
      const matches = words.every((word) => text.includes(word));
      show(article, matches);
      show(link, matches);
      if (matches) count++;
    }
    show(section, count > 0);
    show(entry, count > 0);
    total += count;
  }
  for (const chapter of chapters) show(chapter, words.length === 0);
  found.textContent = words.length === 0 ? '' : total === 1 ? '1 endpoint found' : total + ' endpoints found';
};
field.addEventListener('input', search);
addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && event.target !== field) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === 'Escape' && event.target === field) {
    field.value = '';
    search();
  }
});
// A link to an endpoint that the search has hidden shows it again.
addEventListener('hashchange', () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target || !target.closest('[hidden]')) return;
  field.value = '';
  search();
  target.scrollIntoView();
});

if (navigator.clipboard) {
  for (const figure of document.querySelectorAll('figure')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
    figure.querySelector('figcaption').append(button);
  }
}
`;

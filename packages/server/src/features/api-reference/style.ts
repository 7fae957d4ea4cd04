import { THEME } from '@gatehouse/web';

/** The style sheet of /docs. Narrow: one column. Wide: contents, text, examples. */
export const REFERENCE_STYLE = `${THEME}
html { scroll-padding-top: 1.5rem; }
.layout { display: grid; grid-template-columns: minmax(0, 1fr); }
main { padding: 1.5rem 1.25rem 6rem; min-width: 0; }
main:focus { outline: none; }
h1 { margin: 0 0 .5rem; font-size: clamp(1.75rem, 5vw, 2.25rem); letter-spacing: -.02em; }
h2 { margin: 0 0 1rem; font-size: 1.5rem; letter-spacing: -.015em; }
h3 { margin: 0 0 .6rem; font-size: 1.1875rem; letter-spacing: -.01em; }
h4 { margin: 1.75rem 0 .4rem; font-size: .9375rem; font-weight: 600; }
h4 .faint { font-weight: 400; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; text-decoration-thickness: 2px; }
.lead { font-size: 1.125rem; color: var(--faint); }
.chapter { margin-top: 3rem; }
.chapter .about { max-width: 46rem; }
section.group { margin-top: 4rem; padding-top: 2.5rem; border-top: 1px solid var(--line); }

.side { padding: 1.25rem 1.25rem 1rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.house { display: flex; align-items: center; justify-content: space-between; gap: 1rem; margin: 0 0 .75rem; }
.version { color: var(--faint); font: .8125rem var(--mono); }
[hidden] { display: none !important; }
.search { margin: 0 0 1rem; }
.search input { width: 100%; padding: .45rem .7rem; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); color: var(--ink); font: inherit; font-size: .9375rem; }
figcaption { display: flex; align-items: center; justify-content: space-between; gap: 1rem; }
.copy { padding: .1rem .5rem; border: 1px solid var(--line); border-radius: 6px; background: none; color: var(--accent); font: inherit; cursor: pointer; }
.copy:hover { background: var(--accent-wash); }
.brand { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; margin-top: 3rem; font-size: .875rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { text-decoration: none; }
nav .chapters, nav .groups { display: flex; flex-wrap: wrap; gap: .4rem; }
nav .groups { margin-top: .4rem; }
nav .groups ul { display: none; }
nav .chapters a, nav a.group { display: block; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: 99px; color: var(--ink); font-size: .9375rem; }
nav a:hover { background: var(--accent-wash); }

.method { display: inline-block; padding: .05rem .4rem; border-radius: 5px; background: var(--accent-wash); color: var(--accent); font: 600 .75rem/1.5 var(--mono); }
.method.get { background: var(--green-wash); color: var(--green); }
.method.put, .method.patch { background: var(--amber-wash); color: var(--amber); }
.method.delete { background: var(--red-wash); color: var(--red); }
.status { font: 600 .8125rem var(--mono); color: var(--faint); }
.errors .status { margin-right: .35rem; }
h4 .status { color: var(--green); }

.operation { padding: 1.75rem 0 2.25rem; }
.chapter + .chapter { padding-top: 3rem; border-top: 1px solid var(--line); }
.operation + .operation { border-top: 1px solid var(--line); }
.operation:target h3 a { color: var(--accent); }
.route { margin-bottom: .9rem; }
.route code { font-size: .9375rem; }
.access { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem .75rem; margin: 0; }
.access dt { color: var(--faint); }
.access dd { grid-column: 2; margin: 0; }
.ways dt { font-weight: 600; }
.ways dd { margin: 0 0 .75rem; }

table { position: relative; width: 100%; border-collapse: collapse; font-size: .9375rem; line-height: 1.5; table-layout: fixed; }
thead th { padding: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
tbody th, tbody td { padding: .5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
thead th:first-child { width: 42%; }
tbody th { padding-right: 1rem; }
.or { margin: .75rem 0; color: var(--faint); font-style: italic; }
.parent { color: var(--faint); }
.need { color: var(--amber); font-size: .8125rem; }
th .faint { font-size: .8125rem; }
td { color: var(--faint); }
td code { color: var(--ink); }

figure { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); overflow: hidden; }
figcaption { padding: .45rem .9rem; border-bottom: 1px solid var(--line); color: var(--faint); font-size: .8125rem; }
pre { margin: 0; padding: .8rem .9rem; background: var(--sunken); font-size: .8125rem; line-height: 1.65; white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { font-size: inherit; }
.example { margin-top: 1.75rem; }

@media (min-width: 56rem) {
  .layout { grid-template-columns: 17.5rem minmax(0, 1fr); }
  .side { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.75rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line); border-bottom: 0; }
  .house { margin-bottom: 1.5rem; }
  nav .chapters, nav .groups, nav .groups ul { display: block; }
  nav .groups > li { margin-top: 1.4rem; }
  nav .chapters a, nav a.group, nav .groups ul a { padding: .25rem .5rem; border: 0; border-radius: 6px; }
  nav a.group { font-weight: 600; font-size: .875rem; }
  nav .groups ul a { display: grid; grid-template-columns: 3.4rem 1fr; align-items: baseline; color: var(--faint); font-size: .875rem; line-height: 1.45; }
  nav .groups ul a:hover { color: var(--ink); }
  nav .groups .method { padding: 0; background: none; font-size: .6875rem; }
  main { max-width: 84rem; padding: 2.5rem clamp(1.5rem, 4vw, 4rem) 8rem; }
}
@media (min-width: 76rem) {
  .operation, .chapter { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 0 3rem; align-items: start; }
  .example { position: sticky; top: 1.5rem; margin-top: 0; }
}
@media print { .side { display: none; } .layout { display: block; } }
`;

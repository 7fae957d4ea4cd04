import { mark, renderDocument } from './ui/document.ts';
import { html, type Markup } from './ui/html.ts';
import { THEME } from './ui/theme.ts';

export const START_STYLE = `${THEME}
.start { max-width: 44rem; margin: 0 auto; padding: clamp(1.5rem, 7vh, 5rem) 1.25rem 4rem; }
.start h1 { margin: 2.5rem 0 .75rem; font-size: clamp(1.75rem, 5vw, 2.25rem); letter-spacing: -.02em; }
.start h2 { margin: 2.5rem 0 .75rem; font-size: 1.125rem; }
.lead { font-size: 1.125rem; color: var(--faint); max-width: 36rem; }
.doors { list-style: none; margin: 2rem 0 0; padding: 0; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); overflow: hidden; }
.doors li + li { border-top: 1px solid var(--line); }
.doors a { display: grid; grid-template-columns: 1fr auto; gap: .1rem 1rem; align-items: baseline; padding: 1rem 1.25rem; color: inherit; text-decoration: none; }
.doors a:hover { background: var(--accent-wash); }
.doors a:focus-visible { outline-offset: -3px; border-radius: 12px; }
.doors strong { font-weight: 600; }
.doors code { color: var(--accent); }
.doors span { grid-column: 1 / -1; color: var(--faint); }
.steps { padding-left: 1.25rem; }
.steps li { padding-left: .25rem; margin-bottom: .6rem; }
.steps code { padding: .1em .35em; border-radius: 4px; background: var(--sunken); }
@media (max-width: 30rem) { .doors a { grid-template-columns: 1fr; } }
`;

interface StartPage {
  /** The origin under which people reach the service. */
  readonly baseUrl: string;
  /** Development shows the sent mails as well. */
  readonly development: boolean;
}

interface Door {
  readonly path: string;
  readonly name: string;
  readonly about: string;
}

const door = ({ path, name, about }: Door): Markup =>
  html`<li><a href="${path}"><strong>${name}</strong> <code>${path}</code> <span>${about}</span></a></li>
`;

/** The page at `/`: the service runs, and this is where to go from here. */
export function renderStartPage({ baseUrl, development }: StartPage): string {
  const doors: Door[] = [
    { path: '/docs', name: 'API reference', about: 'Every endpoint this service has, with a request to paste.' },
    { path: '/openapi.json', name: 'OpenAPI document', about: 'The same for machines: OpenAPI 3.1.' },
    { path: '/readyz', name: 'Readiness', about: 'Database, migrations, signing key and mail, checked now.' },
  ];
  if (development) {
    doors.push({ path: '/dev/mail', name: 'Sent mail', about: 'What the service mailed. Development only.' });
  }
  return renderDocument({
    title: 'Gatehouse is running',
    description: 'A self-hosted identity service.',
    style: START_STYLE,
    body: html`<div class="start">
<header>${mark()}</header>
<main>
<h1>Gatehouse is running</h1>
<p class="lead">This is the identity service at <code>${baseUrl}</code>. It is used through its API; this version has no pages to sign in with.</p>
<ul class="doors">
${doors.map(door)}</ul>
<h2>What comes next</h2>
<ol class="steps">
<li>Run <code>npx gatehouse doctor</code>: it checks the settings, and names the command that mends each finding.</li>
<li>Read the <a href="/docs#authentication">authentication chapter</a> of the reference, then call an endpoint from your shell.</li>
<li>Let your services check tokens themselves, with the keys that the <a href="/.well-known/openid-configuration">discovery document</a> names.</li>
</ol>
</main>
</div>`,
  });
}

import type { Brand } from '../settings.ts';
import { brandLinks, brandStyle, mark } from './brand.ts';
import { renderDocument } from './document.ts';
import { html } from './html.ts';
import { type PlainLanguage, TEXT } from './text.ts';
import { THEME } from './theme.ts';

const STYLE = `${THEME}
body { display: flex; flex-direction: column; align-items: center; min-height: 100vh; padding: clamp(1rem, 8vh, 5rem) 1rem 1rem; }
main { width: 100%; max-width: 30rem; margin: 1.25rem 0; padding: clamp(1.25rem, 5vw, 2rem); border: 1px solid var(--line); border-radius: 12px; background: var(--paper); }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; letter-spacing: -.015em; }
.ways { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: center; margin: 0; }
.button { padding: .5rem 1rem; border-radius: 8px; background: var(--solid); color: #fff; font-weight: 600; text-decoration: none; }
footer { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; justify-content: center; margin-top: auto; font-size: .875rem; }
`;

interface RenderedPage {
  readonly html: string;
  /** The style sheet, whose hash belongs in the Content-Security-Policy of the page. */
  readonly style: string;
}

export function renderNotFound(brand: Brand, language: PlainLanguage): RenderedPage {
  const { title, lead, signIn, home } = TEXT[language].notFound;
  const ways = html`<p class="ways"><a class="button" href="/sign-in">${signIn}</a> <a href="/">${home}</a></p>`;
  return render(brand, language, { title, lead, more: ways });
}

/** For a request of an application that cannot be answered by a redirect. `detail` is English, for its developers. */
export function renderRequestError(
  brand: Brand,
  language: PlainLanguage,
  { reason, detail }: { reason: 'invalid' | 'unavailable'; detail: string },
): RenderedPage {
  return render(brand, language, {
    ...TEXT[language].request[reason],
    more: html`<p><code lang="en">${detail}</code></p>`,
  });
}

interface Content {
  readonly title: string;
  readonly lead: string;
  readonly more: ReturnType<typeof html>;
}

function render(brand: Brand, language: PlainLanguage, { title, lead, more }: Content): RenderedPage {
  const style = STYLE + brandStyle(brand);
  const body = html`<header>${mark(brand)}</header>
<main>
<h1>${title}</h1>
<p>${lead}</p>
${more}
</main>
<footer>
${brandLinks(brand, language)}</footer>`;
  return {
    html: renderDocument({ title: `${title} · ${brand.name}`, description: lead, language, brand, style, body }),
    style,
  };
}

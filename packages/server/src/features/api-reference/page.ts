import { type Brand, brandLinks, brandStyle, html, type Markup, mark, renderDocument } from '@gatehouse/web';
import { SUMMARY } from '../../http/openapi.ts';
import type { OpenApiDocument } from '../../http/openapi-document.ts';
import { type Chapter, chaptersOf } from './chapters.ts';
import { inlined } from './inline.ts';
import { type Endpoint, methodBadge, operationView } from './operation-view.ts';
import { REFERENCE_SCRIPT } from './script.ts';
import { REFERENCE_STYLE } from './style.ts';

interface Group {
  readonly id: string;
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
}

interface RenderedReference {
  readonly html: string;
  /** Style sheet and script of the page, whose hashes the content security policy allows. */
  readonly style: string;
  readonly script: string;
}

/** Renders the document as one page without further requests. It can be read without its script. */
export function renderReference(described: OpenApiDocument, brand: Brand): RenderedReference {
  const document = inlined(described);
  const chapters = chaptersOf(document);
  const groups = groupsOf(document);
  const { title, version } = document.info;
  const style = REFERENCE_STYLE + brandStyle(brand);
  const page = renderDocument({
    title: `${title} reference`,
    description: SUMMARY,
    language: 'en',
    brand,
    style,
    script: REFERENCE_SCRIPT,
    body: html`<a class="skip" href="#content">Skip to content</a>
<div class="layout">
<header class="side">
<p class="house">${mark(brand)} <span class="version">${version}</span></p>
${navigation(chapters, groups)}</header>
<main id="content" tabindex="-1">
<h1>${title}</h1>
<p class="lead">${SUMMARY}.</p>
${chapters.map(chapterSection)}${groups.map((group) => groupSection(document, group))}<footer class="brand">
${brandLinks(brand, 'en')}</footer>
</main>
</div>`,
  });
  return { html: page, style, script: REFERENCE_SCRIPT };
}

function groupsOf({ tags, paths }: OpenApiDocument<never>): Group[] {
  const endpoints = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Endpoint => ({ method, path, operation })),
  );
  return tags.map(({ name }) => ({
    id: `tag-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
    name,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

const navigation = (chapters: readonly Chapter[], groups: readonly Group[]): Markup =>
  html`<nav aria-label="Contents">
<ul class="chapters">
${chapters.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)}</ul>
<ul class="groups">
${groups.map(groupEntry)}</ul>
</nav>
`;

const groupEntry = ({ id, name, endpoints }: Group): Markup =>
  html`<li><a class="group" href="#${id}">${name}</a>
<ul>
${endpoints.map(
  ({ method, operation }) =>
    html`<li><a href="#${operation.operationId}">${methodBadge(method)} <span>${operation.summary}</span></a></li>\n`,
)}</ul></li>
`;

const chapterSection = ({ id, title, content, aside }: Chapter): Markup =>
  html`<section class="chapter" id="${id}" aria-labelledby="${id}-title">
<div class="about">
<h2 id="${id}-title"><a href="#${id}">${title}</a></h2>
${content}</div>
<div class="example">
${aside}</div>
</section>
`;

const groupSection = (document: OpenApiDocument<never>, { id, name, endpoints }: Group): Markup =>
  html`<section class="group" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a href="#${id}">${name}</a></h2>
${endpoints.map((endpoint) => operationView(document, endpoint))}</section>
`;

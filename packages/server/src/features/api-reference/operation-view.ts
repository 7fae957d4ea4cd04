import { html, type Markup, prose } from '@gatehouse/web';
import type { OpenApiDocument, Operation, Parameter, Response } from '../../http/openapi-document.ts';
import { OVERLOADED } from '../../http/openapi-errors.ts';
import { breakable, errorTable, example } from './code-view.ts';
import { curlExample } from './curl.ts';
import { sampleOf } from './sample.ts';
import { fieldsOf, shapeTables, typeInWords } from './schema-view.ts';

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation<never>;
}

export const methodBadge = (method: string): Markup =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`;

export function operationView(document: OpenApiDocument<never>, { method, path, operation }: Endpoint): Markup {
  const id = operation.operationId;
  const baseUrl = document.servers[0]?.url ?? '';
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="about">
<h3 id="${id}-title"><a href="#${id}">${operation.summary}</a></h3>
<p class="route">${methodBadge(method)} <code>${breakable(path)}</code></p>
${operation.description !== undefined && html`<p>${prose(operation.description)}</p>\n`}<dl class="access"><dt>Access</dt>${operation['x-access'].map((words) => html`<dd>${prose(words)}</dd>`)}</dl>
${parameterTable(operation)}${bodyTable(operation)}${answers(operation)}${errors(document, operation)}</div>
<div class="example">
${example('Request', curlExample({ baseUrl, method, path, operation }))}${answerExample(operation)}</div>
</article>
`;
}

const PLACE = { path: 'in the path', query: 'in the query', header: 'as a header' } as const;

function parameterTable({ parameters = [] }: Operation<never>): Markup | undefined {
  if (parameters.length === 0) return undefined;
  const row = ({ name, required, in: place, description, schema }: Parameter): Markup =>
    html`<tr><th scope="row"><code>${breakable(name)}</code>${required && html` <span class="need">required</span>`}</th><td>${typeInWords(schema)}, ${PLACE[place]}${description !== undefined && html`<br>${prose(description)}`}</td></tr>
`;
  return html`<h4>Parameters</h4>
<table>
<caption><span class="hidden">Parameters</span></caption>
<thead><tr><th scope="col"><span class="hidden">Name</span></th><th scope="col"><span class="hidden">Description</span></th></tr></thead>
<tbody>
${parameters.map(row)}</tbody>
</table>
`;
}

function bodyTable({ requestBody }: Operation<never>): Markup | undefined {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!content) return undefined;
  const { description } = content.schema;
  return html`<h4>Body <span class="faint">${type}</span></h4>
${description !== undefined && html`<p>${prose(description)}</p>\n`}${shapeTables('Fields of the body', content.schema, 'request')}`;
}

const isAnswer = ([, response]: [string, Response<never>]): boolean => response['x-error-codes'] === undefined;

const answers = ({ responses }: Operation<never>): Markup =>
  html`${Object.entries(responses).filter(isAnswer).map(answer)}`;

function answer([status, { description, content = {} }]: [string, Response<never>]): Markup {
  const [type, shape] = Object.entries(content)[0] ?? [];
  const words = shape?.schema.description ?? (type === undefined ? 'No body.' : `A body of type ${type}.`);
  return html`<h4>Response <span class="status">${status}</span> <span class="faint">${description}</span></h4>
${shape && fieldsOf(shape.schema).length > 0 ? shapeTables(`Fields of the response ${status}`, shape.schema, 'answer') : html`<p class="faint">${prose(words)}</p>\n`}`;
}

/** Leaves out the overload error, which applies to every endpoint and is explained once, at the top. */
function errors({ components }: OpenApiDocument<never>, { responses }: Operation<never>): Markup {
  const own = Object.values(responses).filter((response) => response !== components.responses[OVERLOADED]);
  return html`<h4>Errors</h4>
${errorTable(
  'Errors',
  own.flatMap((response) => response['x-error-codes'] ?? []),
)}`;
}

function answerExample({ responses }: Operation<never>): Markup | undefined {
  const [status, response] = Object.entries(responses).find(([code]) => code < '300') ?? [];
  const schema = response?.content?.['application/json']?.schema;
  if (!schema || fieldsOf(schema).length === 0) return undefined;
  return example(`Response ${status}`, JSON.stringify(sampleOf(schema, { requiredOnly: false }), null, 2));
}

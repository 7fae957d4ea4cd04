import type { Operation, Parameter } from '../../http/openapi-document.ts';
import { sampleOf } from './sample.ts';

interface Call {
  readonly baseUrl: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation<never>;
}

const variable = (name: string): string => `$${name.toUpperCase().replaceAll(/\W/g, '_')}`;

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const isRequiredQuery = (parameter: Parameter): boolean => parameter.in === 'query' && parameter.required;

/** A request to paste into a shell. Values that depend on the reader are variables: `$ACCESS_TOKEN`, `$ORG_ID`. */
export function curlExample({ baseUrl, method, path, operation }: Call): string {
  const body = operation.requestBody?.content['application/json'];
  const form = operation.requestBody?.content['multipart/form-data'];
  const files = Object.keys(form?.schema.properties ?? {}).map((name) => `-F ${name}=@${variable(name)}`);
  const answersJson = Object.entries(operation.responses).some(([status, { content }]) => status < '300' && content);
  const lines = [
    [
      'curl',
      ...(answersJson ? [] : ['-i']),
      ...(method === 'get' ? [] : ['-X', method.toUpperCase()]),
      address(baseUrl, path, operation),
    ].join(' '),
    ...credential(operation),
    ...(body ? ["-H 'Content-Type: application/json'"] : []),
    ...(body ? [`-d ${singleQuoted(indented(sampleOf(body.schema, { requiredOnly: true })))}`] : []),
    ...files,
  ];
  return lines.join(' \\\n  ');
}

function credential({ security }: Operation<never>): string[] {
  const takes = (scheme: string) => security.some((requirement) => scheme in requirement);
  if (takes('bearer')) return ['-H "Authorization: Bearer $ACCESS_TOKEN"'];
  return takes('refresh') ? ['-b cookies.txt -c cookies.txt'] : [];
}

function address(baseUrl: string, path: string, { parameters = [] }: Operation<never>): string {
  const query = parameters.filter(isRequiredQuery).map(({ name }) => `${name}=${variable(name)}`);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variable(name));
  const url = `${baseUrl}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  return /[$?&]/.test(url) ? `"${url}"` : url;
}

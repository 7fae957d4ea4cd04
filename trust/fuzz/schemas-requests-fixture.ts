import fc, { type Arbitrary } from 'fast-check';
import type { Asked } from './ask-fixture.ts';
import type { Endpoint, Field } from './schemas-operations-fixture.ts';
import { fittingValue, headerValue, isJson, type Known, oddJson, oddText } from './schemas-values-fixture.ts';

const CALLERS = ['nobody', 'member', 'owner', 'platform owner'] as const;
export type CallerName = (typeof CALLERS)[number];

export interface Try extends Asked {
  readonly caller: CallerName;
  readonly by: 'bearer' | 'cookie' | 'cookie without CSRF';
  /** The name of the invalid value, which a 400 must contain; undefined if the request is valid. */
  readonly odd?: string;
  /** Whether the invalid value is in the path, where the response may also be a 404. */
  readonly odd_path?: boolean;
}

/** The parts of a request as text: path, query, and each field as JSON. */
interface Parts {
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly body: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
}

const by = fc.constantFrom<Try['by'][]>('bearer', 'bearer', 'cookie');

const EXTRA = [
  'X-Request-Id',
  'User-Agent',
  'Accept',
  'Accept-Language',
  'Origin',
  'Sec-Fetch-Site',
  'X-Forwarded-For',
];

/** Generates at most one header, from `EXTRA` or from those of the endpoint, with any value. */
const oddHeader = ({ headers }: Endpoint): Arbitrary<Record<string, string>> =>
  fc.dictionary(fc.constantFrom(...EXTRA, ...headers.map(({ name }) => name)), headerValue, { maxKeys: 1 });

const optional = (field: Field, known: Known): Arbitrary<string | undefined> => {
  const value = fittingValue(field.schema, known).map((given) => JSON.stringify(given));
  return field.required ? value : fc.option(value, { nil: undefined });
};

const present = (fields: readonly Field[], values: readonly (string | undefined)[]): (readonly [string, string])[] =>
  fields.flatMap(({ name }, index) => (values[index] === undefined ? [] : [[name, values[index]] as const]));

const textOf = (json: string): string => {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
};

/** Valid parts. In paths, existing ids are preferred, so that more than the lookup is tested. */
function insideParts(endpoint: Endpoint, known: Known): Arbitrary<Parts> {
  const all = (fields: readonly Field[]) => fc.tuple(...fields.map((field) => optional(field, known)));
  return fc
    .tuple(
      all(endpoint.path_parameters),
      all(endpoint.query_parameters),
      all(endpoint.body?.fields ?? []),
      oddHeader(endpoint),
    )
    .map(([path, query, body, headers]) => ({
      path: Object.fromEntries(present(endpoint.path_parameters, path).map(([name, json]) => [name, textOf(json)])),
      query: present(endpoint.query_parameters, query).map(([name, json]) => [name, textOf(json)] as const),
      body: present(endpoint.body?.fields ?? [], body),
      headers,
    }));
}

const BOUNDARY = 'a boundary';

function write(endpoint: Endpoint, parts: Parts, whole?: string): Asked {
  const { method, body } = endpoint;
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts.path[name] ?? ''));
  const query = parts.query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const asked = { method, path: query === '' ? path : `${path}?${query}` };
  if (!body) return { ...asked, headers: parts.headers };
  if (body.type === 'multipart/form-data') {
    const [content = ''] = parts.body.map(([, json]) => textOf(json));
    const disposition = 'Content-Disposition: form-data; name="avatar"; filename="a.png"';
    return {
      ...asked,
      headers: { ...parts.headers, 'content-type': `multipart/form-data; boundary="${BOUNDARY}"` },
      body: `--${BOUNDARY}\r\n${disposition}\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`,
    };
  }
  const isForm = body.type === 'application/x-www-form-urlencoded';
  const text = isForm
    ? parts.body.map(([name, json]) => `${name}=${encodeURIComponent(textOf(json))}`).join('&')
    : `{${parts.body.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;
  return { ...asked, headers: { ...parts.headers, 'content-type': body.type }, body: whole ?? text };
}

/** Undeclared fields, which are ignored. */
const surplus = fc.constantFrom<[string, string][][]>(
  [],
  [],
  [['surplus', '1']],
  [['__proto__', '{"role":"owner","is_admin":true}']],
  [['constructor', '{"prototype":{"role":"owner"}}']],
  [
    ['id', '"00000000-0000-0000-0000-000000000000"'],
    ['platform_role', '"owner"'],
  ],
);

export const inside = (endpoint: Endpoint, known: Known): Arbitrary<Try> =>
  fc
    .tuple(insideParts(endpoint, known), surplus, fc.constantFrom(...CALLERS), by, fc.nat(9))
    .map(([parts, more, caller, how, dice]) => ({
      ...write(endpoint, { ...parts, body: [...parts.body, ...more] }),
      ...(endpoint.method === 'GET' && dice === 0 && { method: 'HEAD' }),
      caller,
      by: how,
    }));

type Step = (parts: Parts) => Pick<Try, 'odd' | 'odd_path'> & { readonly parts: Parts; readonly whole?: string };

const NO_BODIES = ['[]', 'null', '"text"', '1', 'true', '{', 'NaN', '{"a":1}{"b":2}', "{'a':1}", '[{}]', '\ufeff{}'];

function stepsOf(endpoint: Endpoint): Arbitrary<Step>[] {
  const { path_parameters, body } = endpoint;
  const query_parameters = endpoint.query_parameters.filter(({ schema }) => !schema['x-lenient']);
  const fields = body?.type === 'application/json' && !endpoint.takes_anything ? body.fields : [];
  const steps: (Arbitrary<Step> | undefined)[] = [
    ...path_parameters.map(({ name, schema }) =>
      oddText(schema)?.map(
        (value): Step =>
          (parts) => ({
            parts: { ...parts, path: { ...parts.path, [name]: value } },
            odd: name,
            odd_path: true,
          }),
      ),
    ),
    ...query_parameters.map(({ name, schema }) =>
      oddText(schema)?.map(
        (value): Step =>
          (parts) => ({
            parts: { ...parts, query: [...parts.query.filter(([other]) => other !== name), [name, value]] },
            odd: name,
          }),
      ),
    ),
    ...query_parameters
      .filter(({ schema }) => schema.type !== undefined)
      .map(({ name }) =>
        fc.constant<Step>((parts) => ({
          parts: { ...parts, query: [...parts.query, [name, '1'], [name, '1']] },
          odd: name,
        })),
      ),
    ...fields.map(({ name, schema, required }) =>
      oddJson(schema, { required })?.map(
        (json): Step =>
          (parts) => ({
            parts: { ...parts, body: [...parts.body.filter(([other]) => other !== name), [name, json]] },
            odd: isJson(json) ? name : 'body',
          }),
      ),
    ),
    ...fields
      .filter(({ required }) => required)
      .map(({ name }) =>
        fc.constant<Step>((parts) => ({
          parts: { ...parts, body: parts.body.filter(([other]) => other !== name) },
          odd: name,
        })),
      ),
    fields.length === 0
      ? undefined
      : fc.constantFrom(...NO_BODIES).map(
          (whole): Step =>
            (parts) => ({ parts, whole, odd: 'body' }),
        ),
  ];
  return steps.filter((step) => step !== undefined);
}

/** Requests one step outside of the schema by all callers, and valid ones by callers who must be refused. */
export function outside(endpoint: Endpoint, known: Known): Arbitrary<Try> | undefined {
  const steps = stepsOf(endpoint);
  const parts = insideParts(endpoint, known);
  const odd = () =>
    fc.tuple(parts, fc.oneof(...steps), fc.constantFrom(...CALLERS), by).map(([given, step, caller, how]): Try => {
      const { parts: changed, whole, ...expected } = step(given);
      return { ...write(endpoint, changed, whole), ...expected, caller, by: how };
    });
  const outsider = parts.map((given): Try => ({ ...write(endpoint, given), caller: 'nobody', by: 'bearer' }));
  const forged = fc
    .tuple(parts, fc.constantFrom<CallerName[]>('member', 'owner', 'platform owner'), fc.option(headerValue))
    .map(([given, caller, csrf]): Try => {
      const { headers, ...asked } = write(endpoint, given);
      return { ...asked, headers: { ...headers, 'X-Service-CSRF': csrf ?? '' }, caller, by: 'cookie without CSRF' };
    });
  const choices = [
    ...(steps.length > 0 ? [{ weight: 6, arbitrary: odd() }] : []),
    ...(endpoint.signed_in ? [{ weight: 1, arbitrary: outsider }] : []),
    ...(endpoint.csrf ? [{ weight: 1, arbitrary: forged }] : []),
  ];
  return choices.length === 0 ? undefined : fc.oneof(...choices);
}

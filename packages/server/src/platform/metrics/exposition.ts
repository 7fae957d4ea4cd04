/** How the values of a gauge are combined across processes. */
export type Across = 'sum' | 'max' | 'min';

/** A named group of samples (Prometheus metric family). */
export type Family = {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
} & ({ readonly type: 'counter' | 'histogram' } | { readonly type: 'gauge'; readonly across: Across });

export interface Sample {
  /** Added to the family's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The text exposition format, version 0.0.4. */
export function expose(families: readonly Family[]): string {
  return families.map(exposeFamily).join('');
}

function exposeFamily({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${exposeLabels(labels)} ${exposeNumber(value)}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function exposeLabels(labels: Sample['labels']): string {
  if (!labels) return '';
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
    .join(',')}}`;
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const exposeNumber = (value: number): string => {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
};

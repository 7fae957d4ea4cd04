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
  readonly labels?: Labels;
  /** The label `le` of a bucket, apart from the labels that the samples of a series share. */
  readonly le?: number | '+Inf';
  readonly value: number;
}

type Labels = Readonly<Record<string, string | number>>;

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The text exposition format, version 0.0.4. */
export function expose(families: readonly Family[]): string {
  return families.map(exposeFamily).join('');
}

function exposeFamily({ name, help, type, samples }: Family): string {
  let text = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  for (const { suffix = '', labels, le, value } of samples) {
    text += `${name}${suffix}${exposeLabels(labels, le)} ${exposeNumber(value)}\n`;
  }
  return text;
}

function exposeLabels(labels: Labels | undefined, le: Sample['le']): string {
  if (!labels) return '';
  const text = textOf(labels);
  return le === undefined ? `{${text}}` : `{${text},le="${le}"}`;
}

/**
 * The escaped labels, by labels object: all samples of a histogram series share one. Escaping them for each sample of
 * 1,000 series would block the event loop for 0.1 s.
 */
const texts = new WeakMap<Labels, string>();

function textOf(labels: Labels): string {
  let text = texts.get(labels);
  if (text === undefined) {
    text = Object.entries(labels)
      .map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
      .join(',');
    texts.set(labels, text);
  }
  return text;
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const exposeNumber = (value: number): string => {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
};

/** The ranges of an `Accept*` header with their quality, in the order of the header. Malformed parts are ignored. */
interface Range {
  readonly range: string;
  readonly quality: number;
}

/** Longer headers are cut off. */
const MAX_CHARS = 1_000;

const rangesOf = (header: string | undefined): Range[] =>
  (header ?? '')
    .slice(0, MAX_CHARS)
    .split(',')
    .flatMap((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
      const quality = given === undefined ? 1 : Number(given.split('=')[1]!.trim() || Number.NaN);
      return range !== '' && quality >= 0 && quality <= 1 ? [{ range, quality }] : [];
    });

/** `*` is not enough: clients that do not name an encoding get the plain body. */
export const acceptsEncoding = (header: string | undefined, encoding: string): boolean =>
  rangesOf(header).some(({ range, quality }) => range === encoding && quality > 0);

interface Match {
  readonly quality: number;
  /** The more exact range decides between equal qualities, then the order of the header. */
  readonly exactness: number;
  readonly position: number;
}

function matchOf(ranges: readonly Range[], type: string): Match | undefined {
  const [main] = type.split('/');
  const candidates = [type, `${main}/*`, '*/*'];
  for (const [index, candidate] of candidates.entries()) {
    const position = ranges.findIndex(({ range }) => range === candidate);
    if (position >= 0) return { quality: ranges[position]!.quality, exactness: -index, position };
  }
  return undefined;
}

/** Whether `Accept` prefers `text/html` to JSON. An unspecific range alone, or no header, does not. */
export function prefersHtml(header: string | undefined): boolean {
  const ranges = rangesOf(header);
  const html = matchOf(ranges, 'text/html');
  const json = matchOf(ranges, 'application/json');
  if (!html || html.quality === 0) return false;
  if (!json) return true;
  return (html.quality - json.quality || html.exactness - json.exactness || json.position - html.position) > 0;
}

export const acceptedLanguages = (header: string | undefined): string[] =>
  rangesOf(header)
    .filter(({ range, quality }) => range !== '*' && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ range }) => range);

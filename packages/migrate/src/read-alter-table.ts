import { type Effect, effect, referencesIn } from './effects.ts';
import { splitList } from './split-statements.ts';

interface Alteration {
  readonly effects: Effect[];
  readonly adds: string[];
  readonly unreadable: string[];
}

export function readAlterTable(table: string, actions: string, kept: readonly string[]): Alteration {
  const found: Alteration = { effects: [], adds: [], unreadable: [] };
  for (const action of splitList(actions)) {
    const effects = readAction({ name: table, kept }, action, found.adds);
    if (effects) found.effects.push(...effects);
    else found.unreadable.push(action);
  }
  return found;
}

const CONSTRAINT = /^add (constraint|check|unique|primary key|foreign key|exclude)\b/;

/** The altered table, and the tables whose rows are never deleted. */
interface Table {
  readonly name: string;
  readonly kept: readonly string[];
}

function readAction({ name: table, kept }: Table, action: string, adds: string[]): Effect[] | undefined {
  if (CONSTRAINT.test(action)) return addConstraint(table, action, kept);
  const [, added, definition] = /^add (?!(?:column )?if not exists )(?:column )?(\w+) (.+)$/.exec(action) ?? [];
  if (added !== undefined) {
    adds.push(added);
    return addColumn({ name: table, kept }, added, definition!);
  }
  if (/^(set|reset) ?\(/.test(action)) return [effect(table, 'SHARE UPDATE EXCLUSIVE')];
  if (/^validate constraint /.test(action)) return [effect(table, 'SHARE UPDATE EXCLUSIVE', 'reads')];
  if (/^rename /.test(action)) return [removal(table, `renames what the previous version uses: ${action}`)];
  if (/^drop /.test(action)) return [removal(table, `removes what the previous version uses: ${action}`)];
  const [, column, change] = /^alter (?:column )?(\w+) (.+)$/.exec(action) ?? [];
  return column === undefined ? undefined : alterColumn(table, column, change!);
}

const removal = (table: string, breach: string): Effect => effect(table, 'ACCESS EXCLUSIVE', 'catalog', breach);

function addConstraint(table: string, action: string, kept: readonly string[]): Effect[] {
  const breach = `${table}: the previous version may write what a new constraint forbids: ${action}`;
  const work = / not valid$| using index /.test(action) ? 'catalog' : 'reads';
  const references = referencesIn(action, kept);
  return [
    effect(table, references.length > 0 ? 'SHARE ROW EXCLUSIVE' : 'ACCESS EXCLUSIVE', work, breach),
    ...references,
  ];
}

/** A constant default is stored in the catalog; any other is written to each row. */
const CONSTANT = /^(''|[-+]?[\d.]+|true|false|now\(\)|current_timestamp)( ?:: ?\w+( ?\[\])?)?$/;
const DEFAULT = /\bdefault (.+?)(?= (?:not null|null|check|references|constraint|unique|primary key|collate)\b|$)/;
const COMPUTED = /^(small|big)?serial\b|\bgenerated\b/;

function addColumn({ name: table, kept }: Table, column: string, definition: string): Effect[] {
  const name = `${table}.${column}`;
  const given = DEFAULT.exec(definition)?.[1];
  const rewrites = COMPUTED.test(definition) || (given !== undefined && !CONSTANT.test(given) && given !== 'null');
  const reads = /\bcheck\b|\bunique\b|\bprimary key\b/.test(definition);
  return [
    effect(table, 'ACCESS EXCLUSIVE', rewrites ? 'writes' : reads ? 'reads' : 'catalog', breachOf()),
    ...referencesIn(definition, kept),
  ];

  function breachOf(): string | undefined {
    if (rewrites) return `${name}: a different value for every row rewrites the whole table while reads are blocked`;
    if (reads) return `${name}: a check or a unique column reads the whole table while it is locked`;
    if (/\bnot null\b/.test(definition) && (given === undefined || given === 'null')) {
      return `${name} is not null and has no default: the previous version leaves it out`;
    }
    return undefined;
  }
}

function alterColumn(table: string, column: string, change: string): Effect[] | undefined {
  const name = `${table}.${column}`;
  if (/^set default |^drop not null$/.test(change)) return [effect(table, 'ACCESS EXCLUSIVE')];
  if (/^set statistics /.test(change)) return [effect(table, 'SHARE UPDATE EXCLUSIVE')];
  if (/^drop default$/.test(change)) return [removal(table, `${name}: the previous version may rely on its default`)];
  if (/^set not null$/.test(change)) {
    return [effect(table, 'ACCESS EXCLUSIVE', 'reads', `${name}: the previous version may leave it out`)];
  }
  if (/^(set data )?type /.test(change)) {
    return [effect(table, 'ACCESS EXCLUSIVE', 'writes', `${name}: the previous version reads and writes the old type`)];
  }
  return undefined;
}

import pg from 'pg';
import ts from 'typescript';

/** A statement in the source text with the row type that the code declares for it. */
interface DeclaredStatement {
  readonly place: string;
  /** With a parameter in place of each interpolation. */
  readonly text: string;
  /** Column and type; undefined for a type that is declared elsewhere. */
  readonly columns: ReadonlyMap<string, string | undefined>;
}

/** Returns the statements of a file: sql`…` with a row type that is written in this file. */
export function statementsIn(path: string, code: string): DeclaredStatement[] {
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true);
  const found: DeclaredStatement[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isTaggedTemplateExpression(node) || node.tag.getText() !== 'sql') return;
    const columns = columnsOf(node.typeArguments?.[0], file);
    const text = textOf(node.template);
    if (!columns || !/^\s*(select|insert|update|delete|with)\b/i.test(text)) return;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push({ place: `${path}:${line + 1}`, text, columns });
  };
  visit(file);
  return found;
}

const textOf = (template: ts.TemplateLiteral): string =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? template.text
    : template.head.text + template.templateSpans.map(({ literal }, index) => `$${index + 1}${literal.text}`).join('');

type Columns = Map<string, string | undefined>;

/** Reads a type literal, an interface of the same file, or an intersection of these. */
function columnsOf(type: ts.TypeNode | undefined, file: ts.SourceFile): Columns | undefined {
  if (!type) return undefined;
  if (ts.isTypeLiteralNode(type)) return membersOf(type.members);
  if (ts.isIntersectionTypeNode(type)) {
    const parts = type.types.map((part) => columnsOf(part, file));
    return parts.includes(undefined) ? undefined : new Map(parts.flatMap((part) => [...part!]));
  }
  if (!ts.isTypeReferenceNode(type) || type.typeArguments) return undefined;
  const name = type.typeName.getText();
  for (const statement of file.statements) {
    if (ts.isInterfaceDeclaration(statement) && statement.name.text === name && !statement.heritageClauses)
      return membersOf(statement.members);
    if (ts.isTypeAliasDeclaration(statement) && statement.name.text === name) return columnsOf(statement.type, file);
  }
  return undefined;
}

const membersOf = (members: ts.NodeArray<ts.TypeElement>): Columns =>
  new Map(
    members.flatMap((member) =>
      ts.isPropertySignature(member) && member.type
        ? [[member.name.getText().replaceAll(/^['"]|['"]$/g, ''), kindOf(member.type)] as const]
        : [],
    ),
  );

/** Returns the type without null; undefined if it is declared elsewhere. */
function kindOf(type: ts.TypeNode): string | undefined {
  if (ts.isParenthesizedTypeNode(type)) return kindOf(type.type);
  if (ts.isTypeOperatorNode(type)) return kindOf(type.type);
  if (ts.isArrayTypeNode(type)) {
    const element = kindOf(type.elementType);
    return element && `${element}[]`;
  }
  if (ts.isUnionTypeNode(type)) {
    const kinds = new Set(type.types.filter((part) => part.getText() !== 'null').map(kindOf));
    return kinds.size === 1 ? [...kinds][0] : undefined;
  }
  if (ts.isLiteralTypeNode(type)) return /^['"]/.test(type.getText()) ? 'string' : undefined;
  const text = type.getText();
  return ['string', 'number', 'boolean', 'Date', 'Buffer'].includes(text) ? text : undefined;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Asks PostgreSQL for the result columns without running the statement. Undefined if it cannot parse the statement. */
export async function describeStatement(client: pg.Client, text: string): Promise<Column[] | undefined> {
  const fields = await new Promise<readonly pg.FieldDef[] | undefined>((resolve) => {
    let found: readonly pg.FieldDef[] = [];
    const description = {
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text, types: [] } as never, true);
        connection.describe({ type: 'S', name: '' } as never, true);
        connection.sync();
      },
      handleRowDescription(message: { fields: pg.FieldDef[] }) {
        found = message.fields;
      },
      handleError: () => resolve(undefined),
      handleReadyForQuery: () => resolve(found),
    };
    client.query(description as unknown as pg.Submittable);
  });
  return fields?.map(({ name, dataTypeID }) => ({ name, type: TYPES.get(dataTypeID) ?? 'string' }));
}

const { builtins } = pg.types;
/** What the driver returns for a type, with the parser of `connect.ts`; others are strings. JSON may be anything. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [builtins.BOOL, 'boolean'],
  [builtins.BYTEA, 'Buffer'],
  ...[builtins.INT2, builtins.INT4, builtins.INT8, builtins.OID, builtins.FLOAT4, builtins.FLOAT8].map(
    (oid) => [oid as number, 'number'] as const,
  ),
  ...[builtins.DATE, builtins.TIMESTAMP, builtins.TIMESTAMPTZ].map((oid) => [oid as number, 'Date'] as const),
  [builtins.JSON, 'JSON'],
  [builtins.JSONB, 'JSON'],
  ...[1009, 1015, 2951, 1003].map((oid) => [oid, 'string[]'] as const),
  ...[1005, 1007, 1021, 1022, 1028].map((oid) => [oid, 'number[]'] as const),
  [1000, 'boolean[]'],
  [1001, 'Buffer[]'],
  [1185, 'Date[]'],
  // The driver has a parser for int8[] that returns strings.
  [1016, 'string[]'],
]);

/** Compares what the code declares with what the statement returns. */
export function differences({ place, text, columns }: DeclaredStatement, returned: readonly Column[]): string[] {
  const missing = [...columns.keys()].filter((name) => !returned.some((column) => column.name === name));
  const extra = returned.filter(({ name }) => !columns.has(name));
  const wrong = returned.filter(({ name, type }) => {
    const declared = columns.get(name);
    // The column is a fragment, whose place a parameter has taken.
    if (new RegExp(`(\\$\\d+|\\(select \\$\\d+ from [^()]*\\)) as "?${name}\\b`).test(text)) return false;
    return declared !== undefined && type !== 'JSON' && declared !== type;
  });
  return [
    ...missing.map((name) => `${place} does not return ${name}`),
    ...extra.map(({ name }) => `${place} returns ${name}, which is not declared`),
    ...wrong.map(({ name, type }) => `${place} returns ${name} as ${type}, not ${columns.get(name)}`),
  ];
}

/** Sends statements. A client or pool of `pg` is one. */
export interface Queries {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** One connection to the database, such as a connected client of `pg`. */
export interface Connection extends Queries {
  end(): Promise<void>;
}

/** `Row` is the type of the rows that the statement returns. */
export async function select<Row>(queries: Queries, text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await queries.query(text, values);
  return rows as Row[];
}

/** Sends statements. A client or pool of `pg` is one. */
export interface Queries {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** One connection to the database, such as a connected client of `pg`. */
export interface Connection extends Queries {
  end(): Promise<void>;
}

/** The row type is what the statement returns; a test of the service compares both. */
export async function select<Row>(queries: Queries, text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await queries.query(text, values);
  return rows as Row[];
}

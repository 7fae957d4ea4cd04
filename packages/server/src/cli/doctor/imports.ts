import type { Db } from '../../platform/db/connect.ts';
import { findUnfinished, RUNNING } from '../unfinished-import.ts';
import { command, type Finding, failed } from './finding.ts';

/** Nothing when all is there. */
export async function examineImport(db: Db): Promise<Finding[]> {
  const found = await findUnfinished(db);
  if (found === undefined) return [];
  if (found === RUNNING) return [failed('import', 'one is running', 'Let it come to its end, then start the service.')];
  const fix = `Run the same ${command('import <dir>')} again: it goes on where it was. If the export is gone, use an empty database.`;
  return [failed('import', 'one was cut off: only a part of the service is there', fix)];
}

import pc from 'picocolors';
import { TransferFailure } from '../../domain/export/failure.ts';
import type { Keyrings } from '../../domain/export/reseal.ts';
import type { Follow } from '../../domain/export/write-export.ts';
import { configKeyring } from '../../domain/provider-settings/secret.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { connectDatabase, type Db } from '../../platform/db/connect.ts';
import { MIGRATIONS } from '../../platform/db/migrations/list.ts';
import { CommandFailure } from './failure.ts';
import { showProgress } from './progress.ts';
import type { Tool } from './with-database.ts';

export const SCHEMA_VERSION: number = Math.max(...MIGRATIONS.map(({ version }) => version));

const WIDTH = 'foreign_hash_keys'.length;

export const follow: Follow = (label, total) =>
  total === 0 ? { add: () => {}, done: () => {} } : showProgress(label.padEnd(WIDTH), total);

export const keyringsOf = (config: Config): Keyrings => ({
  JWT_SECRET: createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS),
  CONFIG_ENCRYPTION_KEY: configKeyring(config),
});

/** Runs `work` on connections without our statement timeouts, which are meant for requests. */
export async function withUnlimitedStatements<T>({ address, log }: Tool, work: (db: Db) => Promise<T>): Promise<T> {
  const onIdleError = (err: Error) => log.warn({ err }, 'the database connection was lost');
  const { db, close } = connectDatabase({ address, poolSize: 2, unhurried: true, onIdleError });
  try {
    return await work(db);
  } finally {
    await close();
  }
}

export async function explaining<T>(signal: AbortSignal, stopped: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw new CommandFailure(stopped, { cause: error });
    if (error instanceof TransferFailure) throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

export const warn = (text: string): void => console.log(`${pc.yellow('!')} ${text}`);

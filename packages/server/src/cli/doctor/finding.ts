import { cliCommand } from '../support/cli-command.ts';

/**
 * `failed` is a hard failure (§1): the service cannot run, or must not as it is. A `warning` is something that will be missed. `skipped`:
 * it was not asked, or cannot be known from here.
 */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly fix?: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail });
export const warning = (check: string, detail: string, fix: string): Finding => ({
  check,
  status: 'warning',
  detail,
  fix,
});
export const failed = (check: string, detail: string, fix: string): Finding => ({
  check,
  status: 'failed',
  detail,
  fix,
});
export const skipped = (check: string, detail: string, fix?: string): Finding => ({
  check,
  status: 'skipped',
  detail,
  ...(fix !== undefined && { fix }),
});

/** A command of ours for somebody to type, set off from the words around it. */
export const command = (words: string): string => `\`${cliCommand(words)}\``;

import { cliCommand } from '../support/cli-command.ts';

/**
 * `failed` is a hard failure (§1): the service cannot or must not run like this. `warning`: it can run, but problems
 * are likely. `skipped`: not checked, or not detectable from here.
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

export const NO_ADDRESS = 'set PUBLIC_BASE_URL first';

export const command = (words: string): string => `\`${cliCommand(words)}\``;

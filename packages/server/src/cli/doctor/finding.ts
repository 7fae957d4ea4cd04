/** `failed` is a hard failure (§1): the service cannot run. A `warning` is something that will be missed. */
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
export const skipped = (check: string, detail: string): Finding => ({ check, status: 'skipped', detail });

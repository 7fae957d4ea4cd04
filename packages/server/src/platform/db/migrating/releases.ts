export interface Release {
  readonly version: string;
  /** The version of the release's last migration. Migrations up to it are never edited again. */
  readonly schema: number;
}

/** Oldest first. A new release is added here, with a frozen filled database of it: see docs/upgrading.md. */
export const RELEASES: readonly Release[] = [{ version: '0.1.0', schema: 7 }];

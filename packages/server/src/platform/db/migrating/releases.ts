export interface Release {
  readonly version: string;
  /** The last migration it brought. Those up to it are never edited again. */
  readonly schema: number;
}

/** Oldest first. Whoever makes a release adds it here and freezes a filled database of it: docs/upgrading.md tells how. */
export const RELEASES: readonly Release[] = [{ version: '0.1.0', schema: 7 }];

/** Specified and not built yet, by method and path. A route leaves this list when it is built; at the end it is gone. */
export const PENDING: readonly string[] = [];

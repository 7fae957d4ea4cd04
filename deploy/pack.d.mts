export function pack(folder: string, options?: { readonly postgres?: boolean }): void;

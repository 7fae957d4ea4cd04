export class PinFailure extends Error {}
export function listImages(folder: string): { readonly file: string; readonly reference: string }[];
export function pin(
  folder: string,
  origins?: Readonly<Record<string, string>>,
): Promise<{ readonly file: string; readonly from: string; readonly to: string }[]>;

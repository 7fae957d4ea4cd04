import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a secret has a value, in the environment or in a file. */
export const isGiven = (environment: Environment, name: string): boolean =>
  Boolean(environment[name]) || Boolean(environment[`${name}_FILE`]?.trim());

/**
 * The value of a secret: `NAME`, or the content of the file that `NAME_FILE` names, without one newline at its end.
 * Returns a fault if both are set or the file cannot be read.
 */
export function readSecret(environment: Environment, name: string): { value: string } | { fault: string } {
  const value = environment[name] ?? '';
  const file = environment[`${name}_FILE`]?.trim() ?? '';
  if (file === '') return { value };
  if (value !== '') return { fault: `${name} and ${name}_FILE are both set. Unset one of them.` };
  try {
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { fault: `${name}_FILE cannot be read (${code}). Set it to the path of a file that this user may read.` };
  }
}

export function takeVersion(args: readonly string[]): { version: string | undefined; rest: readonly string[] };
interface Machine {
  readonly folder: string;
  readonly platform: string;
  readonly arch: string;
  readonly install?: (name: string, folder: string) => Promise<void>;
}
export function fetchNode(version: string, machine: Machine): Promise<string>;
export function environmentFor(program: string): NodeJS.ProcessEnv;
export const nodeFolder: string;

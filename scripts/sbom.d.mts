interface Locked {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity?: string;
  readonly isOptional: boolean;
  readonly needs: readonly Locked[];
}
interface Component {
  readonly name: string;
  readonly purl: string;
  readonly licenses: readonly object[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}
export function makeSbom(packages?: readonly Locked[]): {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};
export function listLicenses(packages?: readonly Locked[]): [license: string, packages: string[]][];

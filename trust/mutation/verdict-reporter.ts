import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

export const UNTOUCHED = 'every guard in place';

interface Verdict {
  passed: number;
  readonly failed: { readonly name: string; readonly message: string }[];
  readonly broken: string[];
}

/** Reports for each disabled guard whether a test failed. The run fails if no test failed for one of them. */
export class VerdictReporter implements Reporter {
  readonly #verdicts: Map<string, Verdict>;
  /** The files that have not ended with every guard in place. */
  #pending = 0;

  /** `guards`: all expected names. A guard whose tests did not run counts as missed. */
  constructor(guards: readonly string[]) {
    this.#verdicts = new Map(guards.map((name) => [name, { passed: 0, failed: [], broken: [] }]));
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#pending = specifications.filter(({ project }) => project.name === UNTOUCHED).length;
  }

  onTestModuleEnd(module: TestModule): void {
    const { name } = module.project;
    if (name === UNTOUCHED) this.#pending -= 1;
    const verdict = this.#verdicts.get(name) ?? { passed: 0, failed: [], broken: [] };
    this.#verdicts.set(name, verdict);
    for (const test of module.children.allTests()) {
      if (test.result().state === 'passed') verdict.passed += 1;
      const { state, errors } = test.result();
      if (state === 'failed') verdict.failed.push({ name: test.fullName, message: errors[0]?.message ?? '' });
    }
    for (const { message } of module.errors()) verdict.broken.push(`${module.relativeModuleId}: ${message}`);
    process.stderr.write('.');
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly { readonly message: string }[]): void {
    const { [UNTOUCHED]: untouched, ...mutants } = Object.fromEntries(this.#verdicts);
    console.log('\n\ndisabled guards, and the first test that caught each');
    const survivors: string[] = [];
    for (const [name, verdict] of Object.entries(mutants)) {
      const { failed, broken } = verdict;
      // A file that fails to load proves nothing.
      const word = failed.length > 0 ? 'caught ' : broken.length > 0 ? 'BROKEN ' : 'MISSED ';
      if (failed.length === 0) survivors.push(name);
      console.log(`  ${word} ${name}${failed.length > 0 ? `\n            ${failed[0]!.name}` : ''}`);
      for (const line of failed.length === 0 ? broken : []) console.log(`            ${line.split('\n')[0]}`);
    }
    const count = Object.keys(mutants).length;
    console.log(`\n${count} guards disabled, ${count - survivors.length} caught, ${survivors.length} missed`);
    const faults = [
      ...(untouched?.failed ?? []).map(({ name, message }) => `${name}: ${message}`),
      ...(untouched?.broken ?? []),
    ];
    for (const fault of faults) console.log(`fails with every guard in place: ${fault.split('\n')[0]}`);
    // Does not fail the run: without a guard, the service may throw outside the test that fails.
    for (const { message } of errors) console.log(`outside any test: ${message}`);
    const isComplete = this.#pending === 0 && (untouched?.passed ?? 0) > 0;
    const isPassed = survivors.length === 0 && faults.length === 0 && count > 0 && isComplete;
    // Vitest exits with 1 because tests failed, as expected here.
    process.on('exit', () => {
      process.exitCode = isPassed ? 0 : 1;
    });
  }
}

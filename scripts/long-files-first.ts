import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that start browsers or processes, or try many attacks: a file takes up to a minute, elsewhere seconds. */
const LONG = /^(packages\/(web|server)\/test|examples\/test|trust|packages\/embedded-postgres\/src)\//;

/** Runs long files first: otherwise one worker is still busy with such a file when the others have nothing left. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    const isShort = ({ moduleId }: TestSpecification) => Number(!LONG.test(relative(root, moduleId)));
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    // The sort is stable: within long and short files, the order of Vitest is kept.
    return sorted.toSorted((one, other) => groupOf(one) - groupOf(other) || isShort(one) - isShort(other));
  }
}

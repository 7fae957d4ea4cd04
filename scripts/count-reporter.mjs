// The closing line of every run: `N passed, N failed`.
export class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += module.errors().length;
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    // Printed after the default reporter's own summary.
    process.on('exit', () => console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`));
  }
}

import cluster from 'node:cluster';
import { runProgram } from './cli/program.ts';
import { startedAsWorker } from './cli/support/environment.ts';

// The commands: docs/reference/operations.md#command-line.
if (startedAsWorker) {
  await (await import('./cli/commands/worker.ts')).runWorker();
} else {
  // Workers run this file, not the program that started this process, which may run a build first. With round robin,
  // the primary owns the port.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: import.meta.filename, args: ['serve'], serialization: 'advanced' });
  const code = await runProgram(process.argv.slice(2));
  if (code !== undefined) process.exitCode = code;
}

import { createApp } from '../app.ts';
import { type Ground, openPort, type Serving } from './serving.ts';

/** `WORKERS=1`: everything in this process. */
export function serveAlone({ config, log, database, firstKey }: Ground): Serving {
  const app = createApp({ config, log, database });
  return {
    start: () => openPort(app, config, firstKey),
    stop: () => app.stop(),
    hangUp: () => false,
    // The address is the database's own.
    moved: () => {},
  };
}

import { getPriority, setPriority } from 'node:os';

// The database of the run goes first: all tests wait for it, and on a small machine it has to share the processors with them, with
// their browsers and with the services that they start.
setPriority(Math.max(10, getPriority()));

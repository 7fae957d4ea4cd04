// Estimates the strength of passwords in a separate thread: a hostile one takes hundreds of milliseconds.
// JavaScript, because Node must be able to load the thread's file directly.
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

parentPort.on('message', ({ password }) => {
  try {
    const { score, feedback } = estimator.check(password);
    parentPort.postMessage({ result: { score, warning: feedback.warning } });
  } catch (error) {
    parentPort.postMessage({ error });
  }
});

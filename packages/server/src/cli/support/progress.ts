const WIDTH = 24;
const REDRAW_MS = 100;

interface Progress {
  add(count: number): void;
  done(): void;
}

type Screen = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean };

/** Shows progress as one line that is redrawn; without a terminal, as a line per tenth. */
export function showProgress(label: string, total: number, screen: Screen = process.stderr): Progress {
  let count = 0;
  let drawn = '';
  let drawnAt = 0;
  const part = (): number => (total === 0 ? 1 : Math.min(1, count / total));
  const line = (): string => {
    const filled = Math.round(part() * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    return `${label} ${bar} ${Math.floor(part() * 100)
      .toString()
      .padStart(3)} %  ${count.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  };
  const draw = (): void => {
    const now = performance.now();
    if (!screen.isTTY || now - drawnAt < REDRAW_MS) return;
    drawnAt = now;
    screen.write(`\r\x1b[2K${line()}`);
  };
  const print = (): void => {
    const tenth = `${Math.floor(part() * 10)}`;
    if (screen.isTTY || tenth === drawn) return;
    drawn = tenth;
    screen.write(`${line()}\n`);
  };
  return {
    add(more) {
      count += more;
      draw();
      print();
    },
    done() {
      if (screen.isTTY) screen.write(`\r\x1b[2K${line()}\n`);
      else if (drawn === '') screen.write(`${line()}\n`);
    },
  };
}

const WIDTH = 24;
const REDRAW = 100;

interface Progress {
  add(count: number): void;
  /** The line stays as it is. */
  done(): void;
}

type Screen = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean };

/** Work that takes a while, as one line that is drawn again and again; where nobody looks, as a line for each tenth. */
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
    if (!screen.isTTY || now - drawnAt < REDRAW) return;
    drawnAt = now;
    screen.write(`\r\x1b[2K${line()}`);
  };
  const tell = (): void => {
    const tenth = `${Math.floor(part() * 10)}`;
    if (screen.isTTY || tenth === drawn) return;
    drawn = tenth;
    screen.write(`${line()}\n`);
  };
  return {
    add(more) {
      count += more;
      draw();
      tell();
    },
    done() {
      if (screen.isTTY) screen.write(`\r\x1b[2K${line()}\n`);
      else if (drawn === '') screen.write(`${line()}\n`);
    },
  };
}

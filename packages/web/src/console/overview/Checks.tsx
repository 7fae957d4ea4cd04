import type { Readiness } from '@gatehouse/contract';
import { Fact, Facts } from '../Facts.tsx';
import { Sign } from '../Sign.tsx';
import { useText } from './text.ts';

type Check = keyof Readiness['checks'];

export function Checks({ readiness: { status, checks } }: { readiness: Readiness }) {
  const t = useText();
  const ready = status === 'ready';
  return (
    <>
      <div role="status">
        <Sign tone={ready ? 'good' : 'bad'}>{ready ? t.ready : t.notReady}</Sign>
      </div>
      <Facts>
        {(Object.keys(checks) as Check[]).map((check) => {
          const { name, ok, failed, help } = t.checks[check];
          // The service does its work without mail; not so without the others.
          const trouble = check === 'mail' ? 'warn' : 'bad';
          const isFine = checks[check] === 'ok';
          return (
            <Fact key={check} name={name}>
              <Sign tone={isFine ? 'good' : trouble}>{isFine ? ok : failed}</Sign> {!isFine && help}
            </Fact>
          );
        })}
      </Facts>
    </>
  );
}

import type { Readiness } from '@gatehouse/contract';
import { Tag } from '../../app/Tag.tsx';
import { Fact, Facts } from '../Facts.tsx';
import { useText } from './text.ts';

type Check = keyof Readiness['checks'];

export function Checks({ readiness: { status, checks } }: { readiness: Readiness }) {
  const t = useText();
  const ready = status === 'ready';
  return (
    <>
      <div role="status">
        <Tag marked tone={ready ? 'good' : 'bad'}>
          {ready ? t.ready : t.notReady}
        </Tag>
      </div>
      <Facts>
        {(Object.keys(checks) as Check[]).map((check) => {
          const { name, ok, failed, help } = t.checks[check];
          // The service does its work without mail; not so without the others.
          const trouble = check === 'mail' ? 'warn' : 'bad';
          const isFine = checks[check] === 'ok';
          return (
            <Fact key={check} name={name}>
              <Tag marked tone={isFine ? 'good' : trouble}>
                {isFine ? ok : failed}
              </Tag>{' '}
              {!isFine && help}
            </Fact>
          );
        })}
      </Facts>
    </>
  );
}

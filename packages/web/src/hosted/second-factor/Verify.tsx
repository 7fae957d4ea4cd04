import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { MfaForm } from '../mfa/MfaForm.tsx';
import { Button } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';

export function Verify({ onVerified }: { onVerified: () => void }) {
  const t = useResultText().mfa;
  const [kind, setKind] = useState<'code' | 'recovery_code'>('code');
  const other = kind === 'code' ? 'recovery_code' : 'code';
  const verify = async (answer: { code: string } | { recovery_code: string }): Promise<void> => {
    await client.mfa.verify(answer);
    onVerified();
  };
  return (
    <>
      <MfaForm key={kind} kind={kind} onAnswer={verify}>
        {t.leads[kind]}
      </MfaForm>
      <Button variant="subtle" onClick={() => setKind(other)}>
        {t.use[other]}
      </Button>
    </>
  );
}

import { isGatehouseError } from '@gatehouse/client';
import { Component, type ReactNode, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Broken } from './Broken.tsx';
import { LanguageProvider } from './language.tsx';
import './base.css';

class LastResort extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render() {
    return this.state.failed ? <Broken /> : this.props.children;
  }
}

/** Logs only bugs: errors of the service are shown to the user. */
const note = (error: unknown): void => {
  if (!isGatehouseError(error)) console.error(error);
};

export function mount(page: ReactNode): void {
  createRoot(document.getElementById('root')!, { onCaughtError: note }).render(
    <StrictMode>
      <LanguageProvider>
        <Suspense fallback={null}>
          <LastResort>{page}</LastResort>
        </Suspense>
      </LanguageProvider>
    </StrictMode>,
  );
}

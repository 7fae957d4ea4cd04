import { Anchor, Button, Checkbox, createTheme, PasswordInput, TextInput } from '@mantine/core';

/**
 * Large enough for touch, and so that phones do not zoom in on a focused field. Nearly all fields are required, so the
 * optional ones are marked, and required ones have no asterisk.
 */
const field = { size: 'md', withAsterisk: false } as const;

export const hostedTheme = createTheme({
  components: {
    // Links must be distinguishable from text without colour.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always', inherit: true } }),
    Button: Button.extend({
      defaultProps: { size: 'md' },
      // Long labels wrap on a phone; Mantine would cut them off.
      styles: {
        root: {
          display: 'inline-flex',
          alignItems: 'center',
          justifyContent: 'center',
          height: 'auto',
          minHeight: 'var(--button-height)',
          paddingBlock: '0.375rem',
        },
        label: { height: 'auto', lineHeight: 1.3, overflow: 'visible', textAlign: 'center', whiteSpace: 'normal' },
      },
    }),
    Checkbox: Checkbox.extend({ defaultProps: { size: 'sm' } }),
    PasswordInput: PasswordInput.extend({ defaultProps: field }),
    TextInput: TextInput.extend({ defaultProps: field }),
  },
});

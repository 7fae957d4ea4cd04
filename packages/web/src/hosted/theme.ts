import { Anchor, Button, Checkbox, createTheme, PasswordInput, TextInput } from '@mantine/core';

/**
 * Large enough for thumbs, and for phones not to zoom in on what is typed. Nearly everything asked for here is needed, so what is not says so, in place of asterisks.
 */
const field = { size: 'md', withAsterisk: false } as const;

export const hostedTheme = createTheme({
  components: {
    // Told from the text around them without a look at the colour.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always', inherit: true } }),
    Button: Button.extend({
      defaultProps: { size: 'md' },
      // A long label wraps on a phone: Mantine would cut it off.
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

import './help-of-ptx.test.ts';

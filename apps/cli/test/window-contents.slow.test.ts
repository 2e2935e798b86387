import './window-contents.test.ts';

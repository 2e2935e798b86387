import './browser.test.ts';

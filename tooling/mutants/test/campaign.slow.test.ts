import './campaign.test.ts';

import { render } from 'preact';
import type { PageData } from '../report/html/page-data.ts';
import { ReportPage } from './report-page.tsx';

const place = document.getElementById('page');
const data: PageData = JSON.parse(document.getElementById('data')?.textContent ?? '');
if (place !== null) render(<ReportPage data={data} />, place);

mod report_case;
mod report_text;

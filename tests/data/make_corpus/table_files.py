# SPDX-License-Identifier: Apache-2.0
"""csv files: quoting, line ends, forms of numbers."""

from common import bad, good


def make():
    good("csv/plain.csv", "0,1,2\n3,4,5\n")
    good("csv/no_last_line_end.csv", "0,1,2\n3,4,5")
    good("csv/crlf.csv", "0,1\r\n2,3\r\n")
    good("csv/header.csv", "a,b,c\n0,1,2\n3,4,5\n")
    good(
        "csv/quoted.csv",
        '"a, b","say ""x""","two\nlines"\r\n"0","1",2\r\n3,"4",5\r\n',
    )
    good("csv/empty_trailing_lines.csv", "a,b\n0,1\n2,3\n\n\n")
    good("csv/byte_order_mark.csv", b"\xef\xbb\xbfa,b\n0,1\n")
    good("csv/forms_of_numbers.csv", "0.0,+1, 2 \n3e0,40.0E-1,\t5.\n")
    good("csv/one_column.csv", "x\n0\n1\n2\n")

    bad("csv/empty.csv", "")
    bad("csv/only_line_end.csv", "\n")
    bad("csv/only_header.csv", "a,b\n")
    bad("csv/ragged_short.csv", "1,2,3\n4,5\n")
    bad("csv/ragged_long.csv", "1,2\n3,4,5\n")
    bad("csv/text.csv", "a,b\n1,2\n3,x\n")
    bad("csv/text_in_first_row.csv", "1,x\n2,3\n")
    bad("csv/nan.csv", "a,b\n1,nan\n")
    bad("csv/nan_in_first_row.csv", "1,NaN\n2,3\n")
    bad("csv/inf.csv", "a,b\n1,-inf\n")
    bad("csv/infinity.csv", "a,b\n1,Infinity\n")
    bad("csv/too_large.csv", "1,1e999\n")
    bad("csv/too_small.csv", "1,1e-999\n")
    bad("csv/empty_field.csv", "1,\n2,3\n")
    bad("csv/two_numbers_in_field.csv", "1 2,3\n")
    bad("csv/decimal_comma_quoted.csv", '"1,5",2\n')
    bad("csv/hexadecimal.csv", "0x10,1\n")
    bad("csv/two_signs.csv", "+-1,2\n")
    bad("csv/empty_line_inside.csv", "1,2\n\n3,4\n")
    bad("csv/quote_unclosed.csv", 'a,b\n1,"2\n3,4\n')
    bad("csv/quote_inside_field.csv", '1,2"3\n')
    bad("csv/text_after_quote.csv", '1,"2"3\n')
    bad("csv/nul_byte.csv", b"1,2\x003\n")
    bad("csv/binary.csv", bytes(range(256)))
    bad("csv/separator_semicolon.csv", "1;2\n3;4\n")

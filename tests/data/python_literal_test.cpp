// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/python_literal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"

namespace sbog::detail {
namespace python_literal_test {

using testing_support::message_of;
using Shape = std::vector<std::size_t>;

std::string refusal(const std::string& header) {
  return message_of<IoError>([&] { parse_npy_fields(header, "f.npy"); });
}

Shape shape_of(const std::string& shape) {
  return parse_npy_fields(
             "{'descr':'<f4','fortran_order':False,'shape':" + shape + "}", "f")
      .shape;
}

TEST(PythonLiteral, the_header_as_numpy_writes_it) {
  const NpyFields fields = parse_npy_fields(
      "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 40), }     \n",
      "f");
  EXPECT_EQ(fields.descr, "<f4");
  EXPECT_TRUE(fields.fortran_order);
  EXPECT_EQ(fields.shape, (Shape{3, 40}));
}

TEST(PythonLiteral, order_blanks_quotes_and_the_last_comma_are_free) {
  const NpyFields fields = parse_npy_fields(
      " {\t\"shape\":(3,),'fortran_order' :\nFalse ,\"descr\":'|u1'}", "f");
  EXPECT_EQ(fields.descr, "|u1");
  EXPECT_FALSE(fields.fortran_order);
  EXPECT_EQ(fields.shape, Shape{3});
}

TEST(PythonLiteral, tuples_of_every_length) {
  EXPECT_EQ(shape_of("()"), Shape{});
  EXPECT_EQ(shape_of("( 7 , )"), Shape{7});
  EXPECT_EQ(shape_of("(1,2,3)"), (Shape{1, 2, 3}));
  EXPECT_EQ(shape_of("(1L, 18446744073709551615)"), (Shape{1, ~0ULL}));
  EXPECT_EQ(shape_of("(0,)"), Shape{0});
}

TEST(PythonLiteral, refusals_say_where_and_what_is_expected) {
  EXPECT_EQ(refusal("x"),
            "f.npy: the npy header is malformed at character 0: an opening "
            "brace is expected");
  EXPECT_EQ(refusal("{}"), "f.npy: the npy header has no 'descr'");
  EXPECT_EQ(refusal("{'descr':'<f4','shape':()}"),
            "f.npy: the npy header has no 'fortran_order'");
  EXPECT_EQ(refusal("{'shape':(),'shape':()}"),
            "f.npy: the npy header has 'shape' twice");
  EXPECT_EQ(refusal("{'x':1}"),
            "f.npy: the npy header has the unknown key 'x'");
  EXPECT_EQ(refusal("{'descr':[('a','<f4')]}"),
            "f.npy: the npy file has structured elements; one plain numeric "
            "type is expected");
  EXPECT_EQ(refusal("{'fortran_order':None}"),
            "f.npy: the npy header is malformed at character 17: True or False "
            "is expected");
}

TEST(PythonLiteral, malformed_shapes_are_refused) {
  for (const char* shape :
       {"", "(", "(3", "(3)", "3,", "[3,4]", "(3 4)", "(,)", "(3,,4)", "(-1,)",
        "(+1,)", "(1.0,)", "(1e3,)", "(01,)", "(0x1,)", "('3',)", "(1,2",
        "(18446744073709551616,)", "(True,)"}) {
    EXPECT_THROW(shape_of(shape), IoError) << shape;
  }
}

TEST(PythonLiteral, strings_are_short_and_without_escapes) {
  EXPECT_THROW(parse_npy_fields("{'" + std::string(100, 'x') + "'", "f"),
               IoError);
  EXPECT_THROW(parse_npy_fields("{'de\\x73cr'", "f"), IoError);
  EXPECT_THROW(parse_npy_fields("{'descr", "f"), IoError);
  EXPECT_THROW(parse_npy_fields("{'descr\"", "f"), IoError);
}

TEST(PythonLiteral, every_truncation_is_refused) {
  const std::string whole =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }";
  EXPECT_NO_THROW(parse_npy_fields(whole, "f"));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THROW(parse_npy_fields(whole.substr(0, n), "f"), IoError) << n;
  }
}

}  // namespace python_literal_test
}  // namespace sbog::detail
